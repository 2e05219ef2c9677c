using System.Text;

namespace CoAP.NET.PubSub.Topics;

/// <summary>The reply of the owner of a topic, serialized between nodes.</summary>
/// <param name="Code">The code of the response.</param>
/// <param name="Rest">For a refusal the reason, in UTF-8; for a changed topic its properties.</param>
internal readonly record struct TopicOwnerResponse(CoapCode Code, ReadOnlyMemory<byte> Rest = default)
{
    /// <summary>The human-readable reason of a refusal.</summary>
    public string Reason => Encoding.UTF8.GetString(Rest.Span);

    public static TopicOwnerResponse Refuse(CoapCode code, string reason) => new(code, Encoding.UTF8.GetBytes(reason));

    public static TopicOwnerResponse Read(ReadOnlyMemory<byte> bytes) => bytes.IsEmpty
        ? Refuse(CoapCode.InternalServerError, "The node that owns the topic does not know this version of the request. Update it.")
        : new TopicOwnerResponse(new CoapCode(bytes.Span[0]), bytes[1..]);

    /// <summary>The bytes.</summary>
    public byte[] Write() => [Code.Value, .. Rest.Span];
}
