namespace CoAP.NET.Groups;

/// <summary>The answer of one member to a request that was sent to a group.</summary>
/// <param name="Channel">The member.</param>
/// <param name="Message">What it answered.</param>
internal readonly record struct GroupAnswer(CoapChannel Channel, CoapMessage Message);
