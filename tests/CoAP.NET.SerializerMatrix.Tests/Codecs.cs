global using MyCodec = SerializerComparison.PlainCodec;
global using MyMessage = SerializerComparison.PlainMessage;
