using CoAP.NET.Binding;

namespace CoAP.NET;

/// <summary>Finds what handlers with bound parameters lack before the first request does.</summary>
public static class CoapBindingCheck
{
    /// <summary>
    /// Checks that services that handlers need are registered, and that the types of bodies and results can be read and written. A hosted
    /// server does so when it starts.
    /// </summary>
    /// <param name="routes">The server or group; what is mapped to it by now is checked.</param>
    /// <param name="services">The services of the application; null where there are none: then handlers can only have optional
    /// ones.</param>
    /// <exception cref="InvalidOperationException">Something is missing; the message lists all of it and says what to add.</exception>
    public static void CheckBinding(this ICoapRouteBuilder routes, IServiceProvider? services = null)
    {
        ArgumentNullException.ThrowIfNull(routes);
        List<string> problems = [];
        foreach (CoapBoundRoute route in routes.Routes.ListMetadata<CoapBoundRoute>())
        {
            route.Check(services, problems);
        }

        if (problems.Count != 0)
        {
            throw new InvalidOperationException(
                string.Join(Environment.NewLine, ["Handlers of CoAP requests cannot be called:", .. problems]));
        }
    }
}
