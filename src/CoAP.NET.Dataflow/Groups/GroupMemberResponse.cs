namespace CoAP.NET.Groups;

/// <summary>The answer of one member to a group request.</summary>
internal readonly record struct GroupMemberResponse(CoapChannel Channel, CoapMessage Message);
