namespace CoAP.NET.Serialization;

/// <summary>What <see cref="OptionBlockReader"/> found behind the token.</summary>
/// <param name="Count">The number of options.</param>
/// <param name="OptionsLength">The bytes that the options take.</param>
/// <param name="PayloadOffset">Where the payload begins: behind the marker, or at the end when there is none.</param>
internal readonly record struct OptionBlockShape(int Count, int OptionsLength, int PayloadOffset);
