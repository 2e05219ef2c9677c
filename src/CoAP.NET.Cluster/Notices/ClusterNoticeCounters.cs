namespace CoAP.NET.Cluster;

/// <summary>Counters of change notices between nodes.</summary>
/// <param name="Changes">Changes reported at this node.</param>
/// <param name="Sent">Names sent to other nodes, counted for each node.</param>
/// <param name="Received">Names received from other nodes.</param>
/// <param name="Messages">Messages that carried the sent names.</param>
/// <param name="Missed">Names marked as possibly changed while this node received no notices.</param>
internal readonly record struct ClusterNoticeCounters(long Changes, long Sent, long Received, long Messages, long Missed);
