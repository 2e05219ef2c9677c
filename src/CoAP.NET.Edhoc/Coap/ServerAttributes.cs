using System.Globalization;
using CoAP.NET.Edhoc.Credentials;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>The target attributes of the link to a resource of EDHOC (RFC 9668 section 6).</summary>
/// <param name="options">The options of the server.</param>
/// <param name="credentials">Its own credentials.</param>
internal sealed class ServerAttributes(EdhocServerOptions options, EdhocOwnCredential[] credentials)
{
    public CoapRouteHandlerBuilder AddTo(CoapRouteHandlerBuilder route)
    {
        // The supported methods and suites follow from the credentials.
        List<int> methods = [];
        SortedSet<int> suites = [];
        foreach (EdhocMethod method in Enum.GetValues<EdhocMethod>())
        {
            EdhocCipherSuite[] usable = [.. EdhocPlaintextProcessor.Usable(options.Settings, credentials, EdhocRole.Responder, method)];
            if (usable.Length > 0)
            {
                methods.Add((int)method);
                suites.UnionWith(usable.Select(static suite => suite.Number));
            }
        }

        route.WithAttribute("ed-r")
            .WithAttributes("ed-method", Texts(methods))
            .WithAttributes("ed-csuite", Texts(suites))
            .WithAttributes("ed-cred-t", Texts(credentials.Select(static own => TypeOf(own.Credential.Kind))))
            .WithAttributes("ed-idcred-t", Texts(credentials.Select(static own => (int)own.Id.Kind)))
            .WithAttributes("ed-ead", Texts(options.Settings.EadLabels));
        if (options.ReverseMethod is not null)
        {
            route.WithAttribute("ed-i");
        }

        return options.Contexts is not null && !options.SendsMessage4 ? route.WithAttribute("ed-comb-req") : route;
    }

    // The registry "EDHOC Authentication Credential Types".
    private static int TypeOf(EdhocCredentialKind kind) => kind switch
    {
        EdhocCredentialKind.Cwt => 0,
        EdhocCredentialKind.Ccs => 1,
        _ => 2,
    };

    private static IEnumerable<string> Texts(IEnumerable<int> numbers) =>
        numbers.Distinct().Order().Select(static number => number.ToString(CultureInfo.InvariantCulture));
}
