// Messages of bytes for Fast DDS, serialized by hand: what fastddsgen would make
// of types.idl, without a generator that needs Java.
#pragma once

#include <fastdds/dds/topic/TopicDataType.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace dds_worker {

// Bytes is a message: of the writer, which owns nothing, or what a reader took,
// in memory of its own.
struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
  std::vector<uint8_t> own;
};

// Shape is how a message lies on the wire, in plain CDR, little endian: after 4
// bytes that say so come `before` zeros (the layout of a UInt8MultiArray: no
// dimensions, no offset), the number of bytes unless it is fixed, and these.
struct Shape {
  std::string type;  // its name
  bool array;        // the number of bytes is fixed
  uint32_t before;
  size_t size;  // of the payload; a sequence may have fewer bytes
};

class BytesType : public eprosima::fastdds::dds::TopicDataType {
  using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;

 public:
  explicit BytesType(const Shape& s) : shape_(s) {
    setName(s.type.c_str());
    m_typeSize = static_cast<uint32_t>((encapsulation + header() + s.size + 3) / 4 * 4);
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }

  bool serialize(void* data, Payload* payload) override {
    const auto& b = *static_cast<const Bytes*>(data);
    const size_t length = encapsulation + header() + b.size;
    if (length > payload->max_size || (shape_.array && b.size != shape_.size)) return false;
    uint8_t* p = payload->data;
    const uint8_t little[encapsulation] = {0, 1, 0, 0};
    std::memcpy(p, little, sizeof little);
    p += sizeof little;
    if (!shape_.array) {
      std::memset(p, 0, shape_.before);
      const uint32_t n = static_cast<uint32_t>(b.size);
      std::memcpy(p + shape_.before, &n, sizeof n);
      p += header();
    }
    if (b.size > 0) std::memcpy(p, b.data, b.size);
    payload->encapsulation = CDR_LE;
    payload->length = static_cast<uint32_t>(length);
    return true;
  }

  // deserialize refuses what another program may have written in another form.
  bool deserialize(Payload* payload, void* data) override {
    auto& b = *static_cast<Bytes*>(data);
    if (payload->length < encapsulation + header() || payload->data[1] != 1) return false;
    const uint8_t* p = payload->data + encapsulation;
    const size_t most = payload->length - encapsulation - header();
    size_t size = shape_.size;
    if (!shape_.array) {
      static const uint8_t zeros[8] = {};
      uint32_t n;
      if (std::memcmp(p, zeros, shape_.before) != 0) return false;
      std::memcpy(&n, p + shape_.before, sizeof n);
      size = n;
    }
    if (size > most) return false;
    if (b.own.size() < size) b.own.resize(size);
    if (size > 0) std::memcpy(b.own.data(), p + header(), size);
    b.data = b.own.data();
    b.size = size;
    return true;
  }

  std::function<uint32_t()> getSerializedSizeProvider(void* data) override {
    const uint32_t n = static_cast<uint32_t>((encapsulation + header() + static_cast<const Bytes*>(data)->size + 3) / 4 * 4);
    return [n] { return n; };
  }

  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, eprosima::fastrtps::rtps::InstanceHandle_t*, bool) override { return false; }

  // What Fast DDS must know to lend memory and to share it.
  bool is_bounded() const override { return shape_.array; }
  bool is_plain() const override { return shape_.array; }

 private:
  static constexpr size_t encapsulation = 4;
  size_t header() const { return shape_.array ? 0 : shape_.before + 4; }

  Shape shape_;
};

}  // namespace dds_worker
