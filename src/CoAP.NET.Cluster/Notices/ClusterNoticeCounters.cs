namespace CoAP.NET.Cluster;

/// <summary>What nodes told each other of changes so far.</summary>
/// <param name="Changes">How often something was said to have changed at this node.</param>
/// <param name="Sent">How many names other nodes were told, each counted.</param>
/// <param name="Received">How many names other nodes told this one.</param>
/// <param name="Messages">How many messages those that were sent took.</param>
/// <param name="Missed">How many names were marked as they may have changed while this node was not told.</param>
internal readonly record struct ClusterNoticeCounters(long Changes, long Sent, long Received, long Messages, long Missed);
