namespace CoAP.NET.Explorer.Decoding;

/// <summary>Some bytes of a message and their meaning.</summary>
/// <param name="Offset">Their position in the message.</param>
/// <param name="Length">How many there are.</param>
/// <param name="Text">The meaning, safe for a terminal.</param>
/// <param name="Level">The level of indentation: 0 for a field, 1 for a part of the previous field.</param>
internal readonly record struct DecodedField(int Offset, int Length, string Text, int Level = 0);
