namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>The conversion of a handler's result.</summary>
internal enum AnswerKind
{
    Nothing,
    Result,
    Content,
    Text,
    Bytes,
    Memory,
    Value,
}
