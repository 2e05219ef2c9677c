namespace CoAP.NET.PubSub;

/// <summary>Describes a topic of a broker for <see cref="CoapPubSubOptions.Authorize"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubTopicInfo
{
    internal CoapPubSubTopicInfo(string path, CoapTopicProperties properties, string? owner, bool isOwner) =>
        (Path, Properties, Owner, IsOwner) = (path, properties, owner, isOwner);

    /// <summary>The path of its configuration, in URI form.</summary>
    public string Path { get; }

    /// <summary>The properties. For a topic that does not exist yet: the properties from the client's request.</summary>
    public CoapTopicProperties Properties { get; }

    /// <summary>
    /// The creator: type and text of the identity of an authenticated peer (<see cref="CoapPeer.IsKnown"/>); null without one.
    /// </summary>
    public string? Owner { get; }

    /// <summary>Whether the requesting client is the owner.</summary>
    public bool IsOwner { get; }
}
