namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>What becomes of what a handler returns.</summary>
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
