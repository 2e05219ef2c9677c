namespace CoAP.NET.Generators.Reading;

/// <summary>How generated code converts what a handler returns.</summary>
/// <param name="Kind">The conversion.</param>
/// <param name="IsAsync">Whether it is a Task or a ValueTask.</param>
/// <param name="Type">The type, without the task around it.</param>
internal sealed record BoundResult(HandlerResultKind Kind, bool IsAsync, string Type);
