// TAO's headers have a template that finds this operator only where it was
// declared before, since compilers look names up in two phases (g++ 12).
namespace CORBA {
class Any;
}
namespace Messaging {
class ExceptionHolder;
}
void operator<<=(CORBA::Any&, Messaging::ExceptionHolder*);
