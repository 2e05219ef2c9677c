using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Clients;

/// <summary>Creates instances of a class with a client and services.</summary>
internal static class TypedClientFactory<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TClient>
    where TClient : class
{
    private static readonly Lazy<ObjectFactory<TClient>> s_factory = new(MakeFactory);

    public static TClient Make(IServiceProvider services, ICoapClient client) => s_factory.Value(services, [client]);

    private static ObjectFactory<TClient> MakeFactory()
    {
        try
        {
            return ActivatorUtilities.CreateFactory<TClient>([typeof(ICoapClient)]);
        }
        catch (InvalidOperationException exception)
        {
            throw new InvalidOperationException(
                $"{typeof(TClient)} is a typed CoAP client, so it needs a public constructor with a parameter of the type ICoapClient, and "
                    + "services for the others.", exception);
        }
    }
}
