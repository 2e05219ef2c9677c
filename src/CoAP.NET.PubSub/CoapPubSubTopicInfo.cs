namespace CoAP.NET.PubSub;

/// <summary>Describes a topic of a broker for <see cref="CoapPubSubOptions.Authorize"/>.</summary>
/// <param name="Path">The path of its configuration, in URI form.</param>
/// <param name="Properties">The properties. For a topic that does not exist yet: the properties from the client's request.</param>
/// <param name="Owner">The creator: type and text of the identity of an authenticated peer (<see cref="CoapPeer.IsKnown"/>); null without
/// one.</param>
/// <param name="IsOwner">Whether the requesting client is the owner.</param>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed record CoapPubSubTopicInfo(string Path, CoapTopicProperties Properties, string? Owner, bool IsOwner);
