using System.Globalization;
using CoAP.NET.Options;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Copies the options that a proxy forwards, in both directions, by their definitions (RFC 7252 section 5.7.1). Bodies end at the proxy and
/// start again on the other side, so options of blocks never pass.
/// </summary>
internal static class ForwardedOptions
{
    /// <summary>Copies the options of a request that pass.</summary>
    /// <param name="request">The received request.</param>
    /// <param name="forwarded">Receives the options.</param>
    /// <param name="refused">The number of the option that forbids forwarding.</param>
    /// <returns>Whether the request may be forwarded.</returns>
    public static bool TryCopy(CoapRequestContext request, CoapOptionCollection forwarded, out int refused)
    {
        CoapOptionCollection options = request.Options;
        for (int i = 0; i < options.Count; i++)
        {
            refused = options.NumberAt(i);
            OptionForwarding handling = options.Registry.ForwardingInRequest(refused);
            if (handling == OptionForwarding.Refuse)
            {
                return false;
            }

            // An Echo that this server made stays at this hop (RFC 9175 section 2.3). The same applies to the Echo of a registration that a
            // run for observers repeats: a request with an Echo of the next server is never observed.
            bool isOwn = refused == OptionNumber.Echo && (request.EchoAge is not null || request.IsForObservers);
            if (handling == OptionForwarding.Forward && !isOwn)
            {
                forwarded.Add(refused, options.ValueAt(i));
            }
        }

        refused = 0;
        return true;
    }

    /// <summary>Copies the options of a response that pass.</summary>
    /// <param name="response">The received options.</param>
    /// <param name="forwarded">Receives the options.</param>
    /// <param name="refused">The number of the option that forbids forwarding.</param>
    /// <returns>Whether the response may be forwarded.</returns>
    public static bool TryCopy(CoapOptionCollection response, CoapOptionCollection forwarded, out int refused)
    {
        for (int i = 0; i < response.Count; i++)
        {
            refused = response.NumberAt(i);
            OptionForwarding handling = response.Registry.ForwardingInResponse(refused);
            if (handling == OptionForwarding.Refuse)
            {
                return false;
            }

            if (handling == OptionForwarding.Forward)
            {
                forwarded.Add(refused, response.ValueAt(i));
            }
        }

        refused = 0;
        return true;
    }

    /// <summary>Returns the number and, if it has one, the name of an option as human-readable text.</summary>
    public static string Describe(CoapOptionRegistry registry, int number) => registry.FindDefinition(number) is { } definition
        ? string.Create(CultureInfo.InvariantCulture, $"option {number} ({definition.Name})")
        : string.Create(CultureInfo.InvariantCulture, $"option {number}");
}
