using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Serving;

/// <summary>The parts that all collections of a broker share.</summary>
internal sealed record BrokerParts(
    CoapPubSubOptions Options, CoapTable Table, TopicStamps Stamps, TopicIndex Index, TopicShares Shares, BrokerReactions Reactions,
    EventCounts<PubSubCount> Counts, ILogger Logger);
