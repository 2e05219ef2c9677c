namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>What a handler returns, as text for generated code.</summary>
/// <param name="Kind">What becomes of it.</param>
/// <param name="IsAsync">Whether it is a Task or a ValueTask.</param>
/// <param name="Type">The type, without the task around it.</param>
internal sealed record BoundAnswer(AnswerKind Kind, bool IsAsync, string Type);
