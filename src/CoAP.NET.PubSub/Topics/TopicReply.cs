using System.Text;

namespace CoAP.NET.PubSub.Topics;

/// <summary>What the owner of a topic replies, as bytes between nodes.</summary>
/// <param name="Code">The code of the response.</param>
/// <param name="Rest">For a refusal why, in UTF-8; for a topic that was changed its properties.</param>
internal readonly record struct TopicReply(CoapCode Code, ReadOnlyMemory<byte> Rest = default)
{
    /// <summary>Why it was refused, for people.</summary>
    public string Reason => Encoding.UTF8.GetString(Rest.Span);

    /// <summary>A refusal.</summary>
    public static TopicReply Refuse(CoapCode code, string reason) => new(code, Encoding.UTF8.GetBytes(reason));

    /// <summary>Reads one.</summary>
    public static TopicReply Read(ReadOnlyMemory<byte> bytes) => bytes.IsEmpty
        ? Refuse(CoapCode.InternalServerError, "The node that has the topic does not know this version of the question; update it.")
        : new TopicReply(new CoapCode(bytes.Span[0]), bytes[1..]);

    /// <summary>The bytes.</summary>
    public byte[] Write() => [Code.Value, .. Rest.Span];
}
