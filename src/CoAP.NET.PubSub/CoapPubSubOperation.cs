namespace CoAP.NET.PubSub;

/// <summary>What a client asks of a broker; see <see cref="CoapPubSubOptions.Authorize"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public enum CoapPubSubOperation
{
    /// <summary>To create a topic: POST to a collection.</summary>
    Create,

    /// <summary>To see a topic and read its configuration: GET and FETCH of a topic, and its place in lists.</summary>
    ReadTopic,

    /// <summary>To change its configuration: POST and iPATCH of a topic.</summary>
    ChangeTopic,

    /// <summary>To delete a topic.</summary>
    DeleteTopic,

    /// <summary>To publish: PUT of its data.</summary>
    Publish,

    /// <summary>To read its data and to subscribe: GET of its data.</summary>
    ReadData,

    /// <summary>To delete its data.</summary>
    DeleteData,
}
