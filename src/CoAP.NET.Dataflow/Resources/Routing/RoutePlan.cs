namespace CoAP.NET.Resources;

/// <summary>What holds for a route with everything inherited, at one version of the table.</summary>
/// <param name="Version">The version of the table.</param>
/// <param name="Execution">The execution options that <paramref name="Executor"/> was made of.</param>
/// <param name="Executor">Runs the handler; kept while its options stay the same.</param>
/// <param name="Produces">The formats that answers can have; null when the handler looks at Accept itself.</param>
/// <param name="Consumes">The formats that payloads may have; null when the handler looks itself.</param>
/// <param name="Observing">What holds for observers; null when the route cannot be observed.</param>
internal sealed record RoutePlan(
    int Version, ExecutionOptions Execution, RouteExecutor Executor, CoapContentFormat[]? Produces, CoapContentFormat[]? Consumes, ObserveSettings? Observing);
