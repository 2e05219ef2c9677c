namespace CoAP.NET.Generators.Reading;

/// <summary>How generated code converts the result of a handler.</summary>
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
