namespace CoAP.NET.Generators.Reading;

/// <summary>The result of a handler, as text for generated code.</summary>
/// <param name="Kind">Its conversion.</param>
/// <param name="IsAsync">Whether it is a Task or a ValueTask.</param>
/// <param name="Type">The type, without the task around it.</param>
internal sealed record BoundResult(HandlerResultKind Kind, bool IsAsync, string Type);
