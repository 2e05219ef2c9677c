namespace CoAP.NET.Survival.Devices;

/// <summary>How often devices ask.</summary>
/// <param name="Pause">How long after an answer.</param>
/// <param name="PostsOneOf">Of how many requests one is unsafe.</param>
/// <param name="AckTimeout">After how long a request is repeated for the first time (RFC 7252 section 4.8).</param>
/// <param name="ObservesOneOf">Of how many devices one observes a state.</param>
internal readonly record struct DeviceTimes(TimeSpan Pause, int PostsOneOf, TimeSpan AckTimeout, int ObservesOneOf);
