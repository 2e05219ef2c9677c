namespace CoAP.NET.Explorer.Dashboard;

/// <summary>One second of a server. Rates are of that second, the others as they were at its end.</summary>
internal sealed record DashboardSample
{
    /// <summary>When it ended.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>Requests a second, without duplicates.</summary>
    public required double Requests { get; init; }

    /// <summary>Answers a second by the class of their code: 2.xx, 4.xx, 5.xx.</summary>
    public required (double Success, double ClientError, double ServerError) Answers { get; init; }

    /// <summary>Whether answers and latency were measured in that second; otherwise they are what the measured ones before say.</summary>
    public required bool IsMeasured { get; init; }

    /// <summary>How long requests took, over the last ten seconds.</summary>
    public required LatencyFigures Latency { get; init; }

    public required long Peers { get; init; }

    public required long Connections { get; init; }

    public required long Observers { get; init; }

    public required long ActiveRequests { get; init; }

    public required double Retransmissions { get; init; }

    public required double Duplicates { get; init; }

    public required double Drops { get; init; }

    public required double Refusals { get; init; }

    public required double Notifications { get; init; }

    public required double BytesReceived { get; init; }

    public required double BytesSent { get; init; }
}
