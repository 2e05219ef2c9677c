namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The measurements of one second of a server. Rates are for that second, other values for its end.</summary>
internal sealed record DashboardSample
{
    /// <summary>The end of the second.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>Requests per second, without duplicates.</summary>
    public required double Requests { get; init; }

    /// <summary>Responses per second by code class: 2.xx, 4.xx, 5.xx.</summary>
    public required (double Success, double ClientError, double ServerError) Answers { get; init; }

    /// <summary>
    /// Whether responses and latency were measured in that second; otherwise they are extrapolated from earlier measurements.
    /// </summary>
    public required bool IsMeasured { get; init; }

    /// <summary>Latency over the last ten seconds.</summary>
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
