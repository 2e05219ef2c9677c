namespace CoAP.NET.Serialization;

/// <summary>The result of <see cref="OptionBlockReader"/> for the bytes after the token.</summary>
/// <param name="Count">The number of options.</param>
/// <param name="OptionsLength">The bytes that the options take.</param>
/// <param name="PayloadOffset">The start of the payload: after the marker, or at the end if there is none.</param>
internal readonly record struct OptionBlockShape(int Count, int OptionsLength, int PayloadOffset);
