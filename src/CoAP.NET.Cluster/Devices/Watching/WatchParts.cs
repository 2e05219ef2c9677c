using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What all watches of a node share.</summary>
/// <param name="Cluster">The node.</param>
/// <param name="Options">How devices are observed.</param>
/// <param name="Pace">How fast registrations go out.</param>
/// <param name="Time">The clock.</param>
/// <param name="Random">For pauses.</param>
/// <param name="Logger">The log of the cluster.</param>
internal sealed record WatchParts(CoapCluster Cluster, CoapDeviceOptions Options, RegistrationPace Pace, TimeProvider Time,
    CoapRandomSource Random, ILogger Logger)
{
    private readonly OccasionalLog _refused = new(Time);
    private readonly OccasionalLog _unanswered = new(Time);

    /// <summary>A device is not observed: it is counted, and told now and then.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="refusal">Why.</param>
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

    /// <summary>A device did not answer a registration: it is counted, and told now and then.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="failure">What happened.</param>
    public void OnUnanswered(string device, Exception failure)
    {
        Cluster.Counts.Add(ClusterMetric.RegistrationsUnanswered);
        if (_unanswered.IsDue())
        {
            WatchLog.Unanswered(Logger, CoapForeignText.LineOf(device), CoapForeignText.LineOf(failure.Message));
        }
    }
}
