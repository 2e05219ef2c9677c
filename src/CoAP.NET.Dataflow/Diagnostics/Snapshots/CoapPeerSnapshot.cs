using System.Net;

namespace CoAP.NET;

/// <summary>A peer in a <see cref="CoapSnapshot"/>.</summary>
public sealed class CoapPeerSnapshot
{
    internal CoapPeerSnapshot()
    {
    }

    /// <summary>The shard that owns it.</summary>
    public required int Shard { get; init; }

    /// <summary>The scheme by which it is reached, such as <c>coap</c>.</summary>
    public required string Scheme { get; init; }

    /// <summary>Its address.</summary>
    public required IPEndPoint Address { get; init; }

    /// <summary>Our address towards it; the wildcard when the operating system chooses.</summary>
    public required IPEndPoint LocalAddress { get; init; }

    /// <summary>
    /// Its identity, as <see cref="CoapPeer.Identity"/> gives it; null when there is none. What it says may be of the peer's making.
    /// </summary>
    public required object? Identity { get; init; }

    /// <summary>Whether it has proven who it is; see <see cref="CoapPeer.IsKnown"/>.</summary>
    public required bool HasIdentity { get; init; }

    /// <summary>Whether it was proven that it receives at its address.</summary>
    public required bool IsVerified { get; init; }

    /// <summary>Whether it is a newcomer: one of those that replace only one another.</summary>
    public required bool IsNewcomer { get; init; }

    /// <summary>When something came from it last; null when it was only sent to so far.</summary>
    public required DateTimeOffset? LastSeen { get; init; }

    /// <summary>Its requests that we have not finished with.</summary>
    public required int RunningRequests { get; init; }

    /// <summary>Messages to it that an acknowledgement or reset can match.</summary>
    public required int Outstanding { get; init; }

    /// <summary>Messages to it that wait for their turn.</summary>
    public required int Queued { get; init; }

    /// <summary>Requests of ours to it that have no response yet.</summary>
    public required int AwaitedResponses { get; init; }

    /// <summary>What of ours is outstanding, waits, or awaits its response; the first 16.</summary>
    public required IReadOnlyList<CoapPendingSnapshot> Pending { get; init; }

    /// <summary>Its observations of our resources.</summary>
    public required int Observers { get; init; }

    /// <summary>Our observations of its resources.</summary>
    public required int Observations { get; init; }

    /// <summary>Bodies of its requests of which blocks are missing.</summary>
    public required int Transfers { get; init; }

    /// <summary>The smoothed round-trip time; null when nothing was measured.</summary>
    public required TimeSpan? RoundTripTime { get; init; }

    /// <summary>How long a Confirmable message waits for its acknowledgement before it is sent again, without any back-off.</summary>
    public required TimeSpan RetransmissionTimeout { get; init; }

    /// <summary>What of it, or to it, was dropped or refused last; null when nothing was.</summary>
    public required CoapDropSnapshot? LastDrop { get; init; }

    /// <summary>Scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Scheme}://{Address}";
}
