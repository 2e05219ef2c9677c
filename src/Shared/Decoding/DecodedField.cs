namespace CoAP.NET.Decoding;

/// <summary>Some bytes of a message and what they say.</summary>
/// <param name="Offset">Where they begin in the message.</param>
/// <param name="Length">How many there are.</param>
/// <param name="Text">What they say, harmless to a terminal.</param>
/// <param name="Level">How deep it stands: 0 for a field, 1 for what belongs to the field before.</param>
internal readonly record struct DecodedField(int Offset, int Length, string Text, int Level = 0);
