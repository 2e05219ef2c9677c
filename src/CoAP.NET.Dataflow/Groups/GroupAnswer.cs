namespace CoAP.NET.Groups;

/// <summary>The answer of one member to a group request.</summary>
/// <param name="Channel">The member.</param>
/// <param name="Message">The response.</param>
internal readonly record struct GroupAnswer(CoapChannel Channel, CoapMessage Message);
