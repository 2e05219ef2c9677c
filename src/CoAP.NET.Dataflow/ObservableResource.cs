namespace CoAP.NET;

/// <summary>What the Resource stage says of an exchange that asks to observe a resource which can be observed. Made before the handler runs.</summary>
/// <param name="Route">The route.</param>
/// <param name="Path">The path in the one form that notices of changes use.</param>
/// <param name="Settings">What the route says of its observers.</param>
/// <param name="Changes">How often the route had changed before the handler ran.</param>
internal sealed record ObservableResource(ObservedRoute Route, string Path, ObserveSettings Settings, int Changes);
