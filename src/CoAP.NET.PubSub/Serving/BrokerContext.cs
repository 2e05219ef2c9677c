using CoAP.NET.Diagnostics;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Serving;

/// <summary>The parts that all collections of a broker share.</summary>
internal sealed record BrokerContext(
    CoapPubSubOptions Options, CoapReplicatedTable Table, TopicRequestIdSource Stamps, TopicIndex Index, TopicQuota Shares,
    TopicChangeReactions Reactions,
    EventCounter<PubSubCounterKind> Counts, ILogger Logger);
