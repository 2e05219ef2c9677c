using System.Net;

namespace CoAP.NET.RequestSteps;

/// <summary>Creates and validates the messages of requests of users.</summary>
internal static class RequestComposer
{
    /// <summary>Throws if a message cannot be sent as a request.</summary>
    /// <exception cref="ArgumentException">The code is not a request code, or the method needs something that is missing.</exception>
    public static void Check(CoapRequest request)
    {
        if (!request.Code.IsRequest)
        {
            throw new ArgumentException($"{request.Code} is not a request code. Use 0.01 to 0.31 (RFC 7252 section 12.1.1).",
                nameof(request));
        }

        if (request.Code == CoapCode.Fetch && OptionRules.LacksContentFormat(request.Options))
        {
            throw new ArgumentException(
                "FETCH needs the Content-Format of its payload (RFC 8132 section 2.3.1). Set Content with a format.", nameof(request));
        }
    }

    /// <summary>Parses the URI of a target.</summary>
    /// <exception cref="ArgumentException">The text is not a CoAP URI, or its port is 0.</exception>
    public static CoapUri ParseTarget(string uri) =>
        CoapUri.TryParse(uri, out CoapUri? target, out string? error) ? CheckTarget(target) : throw new ArgumentException(error);

    /// <summary>Checks the URI of a target.</summary>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI, or its port is 0.</exception>
    public static CoapUri CheckTarget(CoapUri uri)
    {
        CoapUri.RequireCoap(uri, nameof(uri));
        return uri.Port != 0
            ? uri
            : throw new ArgumentException($"'{uri}' has port 0, which cannot receive anything. Use the port that the server listens on.");
    }

    /// <summary>
    /// Creates the message of a request, without the options of its target. A request may be sent several times, even concurrently: each
    /// transmission has its own message.
    /// </summary>
    public static CoapMessage Copy(CoapRequest request)
    {
        CoapMessage message = new(request.Code)
        {
            Type = request.Confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
            Payload = request.Payload,
        };
        if (request.Message.HasOptions)
        {
            message.Options.AddAll(request.Options);
        }

        return message;
    }

    /// <summary>Creates the message of a request without options. Requests to the same resource share the options that name it.</summary>
    public static CoapMessage CreateWithSharedOptions(CoapRequest request, CoapUri uri) => new(request.Code, uri.ResourceOptions)
    {
        Type = request.Confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
        Payload = request.Payload,
    };

    /// <summary>Returns whether options of a message name a resource, or a part of its URI.</summary>
    public static bool NamesResource(CoapMessage message)
    {
        CoapOptionCollection? options = message.OptionsToRead;
        for (int i = 0; i < (options?.Count ?? 0); i++)
        {
            if (OptionNumber.NamesResource(options!.NumberAt(i)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Adds the options that name a target.</summary>
    public static void AddTarget(CoapMessage message, CoapUri uri, CoapAddress remote)
    {
        if (uri.Literal != remote)
        {
            AddTarget(message, uri, remote.ToIPAddress(), remote.Port);
        }
        else if (message.Options is var options && !options.Contains(OptionNumber.ProxyUri) && !options.Contains(OptionNumber.ProxyScheme))
        {
            // Options that are added to each message to this URI, created once.
            options.AddAll(uri.ResourceOptions);
        }
        else
        {
            AddTarget(message, uri, null, uri.Port);
        }
    }

    /// <summary>Adds the options that name a target.</summary>
    /// <param name="message">The message.</param>
    /// <param name="uri">The target.</param>
    /// <param name="address">The IP address that the message goes to; null for the address in the URI or of its name.</param>
    /// <param name="port">The port that it goes to.</param>
    public static void AddTarget(CoapMessage message, CoapUri uri, IPAddress? address, int port)
    {
        // RFC 7252 section 5.10.2: Proxy-Uri is never sent together with Uri-Host, Uri-Port, Uri-Path or Uri-Query.
        if (message.Options.Contains(OptionNumber.ProxyUri))
        {
            return;
        }

        // A request with Proxy-Scheme names the host of its target; the name of the proxy must not be added.
        byte[]? host = message.Options.Contains(OptionNumber.ProxyScheme)
            && message.Options.TryGetValue(OptionNumber.UriHost, out ReadOnlySpan<byte> named) ? named.ToArray() : null;
        uri.AddTo(message.Options, address, port);
        if (host is not null)
        {
            message.Options.Remove(OptionNumber.UriHost);
            message.Options.Add(OptionNumber.UriHost, host);
        }
    }

    /// <summary>Creates the message of a request to a peer, whatever host its URI names.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="request">The request.</param>
    /// <param name="target">Its target; null if it has no URI.</param>
    public static CoapMessage Compose(CoapChannel channel, CoapRequest request, out CoapUri? target)
    {
        CoapMessage message = Copy(request);
        target = null;
        if (request.Uri is { AtAnyHost: { } reference })
        {
            // A reference names neither host nor port, so neither is sent.
            target = reference;
            AddTarget(message, target, target.Literal ?? channel.Remote);
        }
        else if (request.Uri is { } uri)
        {
            target = CheckTarget(uri);
            AddTarget(message, target, channel.Remote);
        }

        return message;
    }
}
