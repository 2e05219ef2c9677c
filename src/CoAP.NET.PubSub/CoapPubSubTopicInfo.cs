namespace CoAP.NET.PubSub;

/// <summary>A topic of a broker, for who decides what a client may do.</summary>
/// <param name="Path">The path of its configuration, in URI form.</param>
/// <param name="Properties">Its properties; of a topic that is to be created, those that the client gave.</param>
/// <param name="Owner">
/// Who created it: the type and the text of the identity of a peer that had proven who it is (<see cref="CoapPeer.IsKnown"/>); null
/// without one.
/// </param>
/// <param name="IsOwner">Whether the client that asks is that one.</param>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed record CoapPubSubTopicInfo(string Path, CoapTopicProperties Properties, string? Owner, bool IsOwner);
