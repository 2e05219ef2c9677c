using System.Net;

namespace CoAP.NET;

/// <summary>A peer in a <see cref="CoapDiagnosticSnapshot"/>.</summary>
public sealed class CoapPeerSnapshot
{
    internal CoapPeerSnapshot()
    {
    }

    internal int Shard { get; init; }

    /// <summary>The scheme of its transport, such as <c>coap</c>.</summary>
    public string Scheme { get; internal init; } = null!;

    /// <summary>Its address.</summary>
    public IPEndPoint RemoteEndPoint { get; internal init; } = null!;

    /// <summary>Our address towards it; the wildcard address if the operating system chooses.</summary>
    public IPEndPoint LocalEndPoint { get; internal init; } = null!;

    /// <summary>Its identity, as in <see cref="CoapPeer.Identity"/>; null if there is none.</summary>
    /// <remarks>The peer may have chosen its content.</remarks>
    public ICoapPeerIdentity? Identity { get; internal init; }

    /// <summary>Whether it has proven its identity; see <see cref="CoapPeer.IsKnown"/>.</summary>
    internal bool HasIdentity { get; init; }

    /// <summary>Whether it has proven that it receives at its address.</summary>
    public bool IsVerified { get; internal init; }

    /// <summary>Whether it is a newcomer; newcomers only replace each other.</summary>
    internal bool IsNewcomer { get; init; }

    /// <summary>The time of its last message; null if it has sent none yet.</summary>
    public DateTimeOffset? LastSeen { get; internal init; }

    internal int RunningRequests { get; init; }

    /// <summary>The number of messages to it that an acknowledgement or reset can match.</summary>
    public int Outstanding { get; internal init; }

    /// <summary>The number of queued messages to it.</summary>
    public int Queued { get; internal init; }

    /// <summary>The number of requests to it without a response yet.</summary>
    internal int AwaitedResponses { get; init; }

    /// <summary>Our messages to it that are outstanding, queued, or await their response; the first 16.</summary>
    public IReadOnlyList<CoapPendingMessageSnapshot> Pending { get; internal init; } = [];

    /// <summary>The number of its observations of our resources.</summary>
    public int Observers { get; internal init; }

    /// <summary>The number of our registrations for its resources.</summary>
    public int Observations { get; internal init; }

    /// <summary>The number of its request bodies with missing blocks.</summary>
    public int Transfers { get; internal init; }

    /// <summary>The smoothed round-trip time; null if it was not measured.</summary>
    public TimeSpan? RoundTripTime { get; internal init; }

    /// <summary>How long a Confirmable message waits for its acknowledgement before it is sent again, without any back-off.</summary>
    internal TimeSpan RetransmissionTimeout { get; init; }

    /// <summary>The last drop or refusal of a message from it or to it; null if there was none.</summary>
    public CoapPeerLastDropSnapshot? LastDrop { get; internal init; }

    /// <summary>Returns scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Scheme}://{RemoteEndPoint}";
}
