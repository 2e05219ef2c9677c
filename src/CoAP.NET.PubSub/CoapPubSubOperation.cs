namespace CoAP.NET.PubSub;

/// <summary>An operation that a client requests from a broker; see <see cref="CoapPubSubOptions.Authorize"/>.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public enum CoapPubSubOperation
{
    /// <summary>Create a topic: POST to a collection.</summary>
    Create,

    /// <summary>See a topic in lists and read its configuration: GET and FETCH of a topic.</summary>
    ReadTopic,

    /// <summary>Change the configuration: POST and iPATCH of a topic.</summary>
    ChangeTopic,

    /// <summary>Delete a topic.</summary>
    DeleteTopic,

    /// <summary>Publish: PUT of the data.</summary>
    Publish,

    /// <summary>Read the data and subscribe: GET of the data.</summary>
    ReadData,

    /// <summary>Delete the data.</summary>
    DeleteData,
}
