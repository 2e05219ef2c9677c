using Microsoft.Extensions.Logging;

namespace CoAP.NET.Execution;

/// <summary>Where a receive loop counts and logs what happens to it: in the endpoint that it serves now.</summary>
internal readonly record struct LoopCountersAndLogger(CoapCounters Counters, ILogger Logger);
