using System.Net;

namespace CoAP.NET;

/// <summary>A peer in a <see cref="CoapSnapshot"/>.</summary>
public sealed class CoapPeerSnapshot
{
    internal CoapPeerSnapshot()
    {
    }

    /// <summary>The shard of the peer.</summary>
    public required int Shard { get; init; }

    /// <summary>The scheme of its transport, such as <c>coap</c>.</summary>
    public required string Scheme { get; init; }

    /// <summary>Its address.</summary>
    public required IPEndPoint Address { get; init; }

    /// <summary>Our address towards it; the wildcard address if the operating system chooses.</summary>
    public required IPEndPoint LocalAddress { get; init; }

    /// <summary>Its identity, as in <see cref="CoapPeer.Identity"/>; null if there is none.</summary>
    /// <remarks>The peer may have chosen its content.</remarks>
    public required object? Identity { get; init; }

    /// <summary>Whether it has proven its identity; see <see cref="CoapPeer.IsKnown"/>.</summary>
    public required bool HasIdentity { get; init; }

    /// <summary>Whether it has proven that it receives at its address.</summary>
    public required bool IsVerified { get; init; }

    /// <summary>Whether it is a newcomer; newcomers only replace each other.</summary>
    public required bool IsNewcomer { get; init; }

    /// <summary>The time of its last message; null if it has sent none yet.</summary>
    public required DateTimeOffset? LastSeen { get; init; }

    /// <summary>The number of its running requests.</summary>
    public required int RunningRequests { get; init; }

    /// <summary>The number of messages to it that an acknowledgement or reset can match.</summary>
    public required int Outstanding { get; init; }

    /// <summary>The number of queued messages to it.</summary>
    public required int Queued { get; init; }

    /// <summary>The number of requests to it without a response yet.</summary>
    public required int AwaitedResponses { get; init; }

    /// <summary>Our messages to it that are outstanding, queued, or await their response; the first 16.</summary>
    public required IReadOnlyList<CoapPendingSnapshot> Pending { get; init; }

    /// <summary>The number of its observations of our resources.</summary>
    public required int Observers { get; init; }

    /// <summary>The number of our observations of its resources.</summary>
    public required int Observations { get; init; }

    /// <summary>The number of its request bodies with missing blocks.</summary>
    public required int Transfers { get; init; }

    /// <summary>The smoothed round-trip time; null if it was not measured.</summary>
    public required TimeSpan? RoundTripTime { get; init; }

    /// <summary>How long a Confirmable message waits for its acknowledgement before it is sent again, without any back-off.</summary>
    public required TimeSpan RetransmissionTimeout { get; init; }

    /// <summary>The last drop or refusal of a message from it or to it; null if there was none.</summary>
    public required CoapDropSnapshot? LastDrop { get; init; }

    /// <summary>Returns scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Scheme}://{Address}";
}
