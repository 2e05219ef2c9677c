namespace CoAP.NET.Generators.Reading;

internal enum HandlerResultKind
{
    Nothing,
    Result,
    Content,
    Text,
    Bytes,
    Memory,
    Value,
}
