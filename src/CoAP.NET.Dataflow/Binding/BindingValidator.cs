namespace CoAP.NET.Binding;

/// <summary>Finds missing services and JSON metadata of handlers with bound parameters before the first request.</summary>
internal static class BindingValidator
{
    /// <summary>Checks that the services of handlers are registered, and that the types of bodies and results are serializable.</summary>
    /// <param name="routes">The server or group; the check covers the handlers mapped so far.</param>
    /// <param name="services">The services of the application; null if there are none: then handlers can only have optional ones.</param>
    /// <exception cref="InvalidOperationException">Something is missing; the message lists everything and says what to add.</exception>
    /// <remarks>A hosted server calls it when it starts.</remarks>
    public static void CheckBinding(this ICoapRouteBuilder routes, IServiceProvider? services = null)
    {
        ArgumentNullException.ThrowIfNull(routes);
        List<string> problems = [];
        foreach (CoapHandlerBinding route in routes.Routes.ListMetadata<CoapHandlerBinding>())
        {
            route.Check(services, problems);
        }

        if (problems.Count != 0)
        {
            throw new InvalidOperationException(
                string.Join(Environment.NewLine, ["CoAP request handlers lack what they need:", .. problems]));
        }
    }
}
