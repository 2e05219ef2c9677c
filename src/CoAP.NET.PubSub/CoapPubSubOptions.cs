using System.Diagnostics.Metrics;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub;

/// <summary>Options of a broker.</summary>
/// <remarks>Read-only once a broker uses them.</remarks>
[Experimental(PubSubDraft.DiagnosticId)]
[HasSettings]
public sealed partial class CoapPubSubOptions
{
    /// <summary>How much the broker holds and takes.</summary>
    public CoapPubSubLimits Limits { get; } = new();

    /// <summary>The Max-Age of data, from 1 s.</summary>
    /// <remarks>
    /// A subscriber that receives nothing for longer subscribes again. Readers that do not subscribe get a Max-Age of one minute at most.
    /// </remarks>
    [TimeRange(1)]
    public partial TimeSpan DataMaxAge { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Decides whether a client may perform an operation on a topic, or create one.</summary>
    /// <remarks>
    /// The callback runs on any thread and must be quick. The broker also calls it for subscribers at each publication, once for all
    /// clients of one identity. The result must therefore depend on the identity of the peer, not on its address. Null, the default: all
    /// clients may do everything, but only its known owner may change or delete a topic.
    /// </remarks>
    public partial Func<CoapRequestContext, CoapPubSubOperation, CoapPubSubTopicInfo, bool>? Authorize { get; set; }

    /// <summary>Keeps the topics: a cluster (<c>CoapCluster</c> of the package <c>CoAP.NET.Cluster</c>).</summary>
    /// <remarks>
    /// Topics in a cluster outlive the process and are the same on all nodes. Null, the default: the topics are in memory of this process.
    /// </remarks>
    public partial ICoapReplicatedTableProvider? Tables { get; set; }

    /// <summary>Opens the table that holds the topics, in place of <see cref="Tables"/>. For tests.</summary>
    internal Func<ICoapReplicatedTableRules, CoapReplicatedTable>? OpenTable { get; set; }

    /// <summary>Whether the broker answers each publication only after the store of the cluster has confirmed it. Default false.</summary>
    /// <remarks>
    /// With true no answered publication is lost when a node fails. With false this holds for the first publication of a topic; the broker
    /// writes later ones right after their answer. A broker in memory has no store.
    /// </remarks>
    public partial bool KeepEachPublication { get; set; }

    /// <summary>The clock. Default: that of the server, if <c>MapPubSub</c> creates the broker; otherwise the system clock.</summary>
    public partial TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Runs reactions to changes made by other nodes and by the clock. Default: threads of the library.</summary>
    public partial CoapThreadScheduler Scheduler { get; set; } = CoapThreadScheduler.Default;

    /// <summary>
    /// The source of random numbers. Default: that of the server, if <c>MapPubSub</c> creates the broker; otherwise that of the operating
    /// system.
    /// </summary>
    public partial CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>The logger factory; null, the default, disables logging.</summary>
    public partial ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Creates the meter of <see cref="CoapTelemetry.MeterName"/>; null, the default, uses the meter of the process.</summary>
    public partial IMeterFactory? MeterFactory { get; set; }

    /// <summary>Returns a copy that has the clock and the random source of a server, unless it has its own.</summary>
    internal CoapPubSubOptions Of(CoapRouteGroup routes)
    {
        CoapPubSubOptions own = this.MakeReadOnlyFor("a broker").CopyMembers();
        own.TimeProvider = TimeProvider == TimeProvider.System ? routes.TimeProvider ?? TimeProvider : TimeProvider;
        own.Random = Random == CoapRandomSource.Secure ? routes.Random ?? Random : Random;
        return own;
    }

    internal CoapPubSubOptions Checked()
    {
        Limits.Check();
        return this.MakeReadOnlyFor("a broker");
    }
}
