namespace CoAP.NET.Generators.Reading;

/// <summary>The conversion of a handler's result.</summary>
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
