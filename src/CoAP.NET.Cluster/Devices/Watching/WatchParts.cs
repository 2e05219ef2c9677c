using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The parts that all watches of a node share.</summary>
/// <param name="Cluster">The node.</param>
/// <param name="Options">The options of devices.</param>
/// <param name="Pace">Limits the rate of registrations.</param>
/// <param name="Time">The clock.</param>
/// <param name="Random">The random source of pauses.</param>
/// <param name="Logger">The log of the cluster.</param>
internal sealed record WatchParts(CoapCluster Cluster, CoapDeviceOptions Options, RegistrationPace Pace, TimeProvider Time,
    CoapRandomSource Random, ILogger Logger)
{
    private readonly OccasionalLog _refused = new(Time);
    private readonly OccasionalLog _unanswered = new(Time);

    /// <summary>Counts and occasionally logs a device that is not observed.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="refusal">The reason.</param>
    /// <param name="code">The code of its answer.</param>
    public void OnRefused(string device, CoapDeviceRefusal refusal, CoapCode code)
    {
        Cluster.Counts.Add(refusal switch
        {
            CoapDeviceRefusal.Error => ClusterMetric.RegistrationsRefused,
            CoapDeviceRefusal.NotObservable => ClusterMetric.RegistrationsNotObservable,
            _ => ClusterMetric.RegistrationsTooLarge,
        });
        if (_refused.IsDue())
        {
            WatchLog.Refused(Logger, CoapForeignText.LineOf(device), refusal, code);
        }
    }

    /// <summary>Counts and occasionally logs an unanswered registration.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="failure">The failure.</param>
    public void OnUnanswered(string device, Exception failure)
    {
        Cluster.Counts.Add(ClusterMetric.RegistrationsUnanswered);
        if (_unanswered.IsDue())
        {
            WatchLog.Unanswered(Logger, CoapForeignText.LineOf(device), CoapForeignText.LineOf(failure.Message));
        }
    }
}
