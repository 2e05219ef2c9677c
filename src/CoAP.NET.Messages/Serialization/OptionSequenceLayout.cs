namespace CoAP.NET.Serialization;

/// <summary>The result of <see cref="OptionSequenceReader"/> for the bytes after the token.</summary>
/// <param name="Count">The number of options.</param>
/// <param name="OptionsLength">The bytes that the options take.</param>
/// <param name="PayloadOffset">The start of the payload: after the marker, or at the end if there is none.</param>
internal readonly record struct OptionSequenceLayout(int Count, int OptionsLength, int PayloadOffset);
