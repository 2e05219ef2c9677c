using System.Net;
using System.Runtime.CompilerServices;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Groups (RFC 7252 section 8): serving in them, and asking them.
public sealed partial class CoapEndpoint
{
    private readonly GroupSettings _groups;
    private readonly GroupRequests _groupRequests;

    /// <summary>Whether it was told to join groups.</summary>
    internal bool JoinsGroups => _groups.Options is not null;

    /// <summary>
    /// Joins groups when the endpoint starts, at the port of each address that it listens on; off by default. Only addresses such as <c>coap://[::]</c> and
    /// <c>coap://0.0.0.0</c> hear groups. What a group is asked is answered only by <c>/.well-known/core</c> and by routes that <c>AllowMulticast</c>, by those members
    /// that have something to say, and after a random time (RFC 7252 section 8.2).
    /// </summary>
    /// <param name="options">Groups, interfaces and the time of answers; null: All CoAP Nodes on all interfaces.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">An address is no address of a group, or there is none.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint JoinGroups(CoapGroupOptions? options = null)
    {
        options ??= new CoapGroupOptions();
        if (_isStarted)
        {
            throw new InvalidOperationException("Join groups before the endpoint is started.");
        }

        if (options.Addresses.Count == 0)
        {
            throw new ArgumentException("Name at least one group.", nameof(options));
        }

        foreach (IPAddress address in options.Addresses)
        {
            if (!CoapAddress.FromIPEndPoint(new IPEndPoint(address, 0)).IsMulticast)
            {
                throw new ArgumentException($"{address} is no address of a group. Those are 224.0.0.0/4 and ff00::/8.", nameof(options));
            }
        }

        _groups.Options = options.Clone();
        return this;
    }

    /// <summary>
    /// Sends a Non-confirmable request to a group, once, and gives the answers of its members as they come (RFC 7252 section 8). Ends after
    /// <see cref="CoapRequest.Timeout"/>; without one after ResponseTimeout of the transmission parameters, by default NON_LIFETIME (145 s): members take up to 5 s for
    /// their answer, more in large groups, so 10 s are mostly enough. Leaving the loop earlier ends it as well. Silence is no error: members that have nothing to say keep back
    /// their answer.
    /// <para>
    /// With <c>Options.Observe = 0</c> those members that let observe what they answer go on with their notifications (RFC 7641), each in its own order, until the loop is left;
    /// without a Timeout there is no other end. Who is not asked again after a restart is not heard again: send the request anew from time to time.
    /// </para>
    /// </summary>
    /// <param name="request">The request; <see cref="CoapRequest.Confirmable"/> must be false, and the URI names a group, such as <c>coap://224.0.1.187/.well-known/core</c> or <c>coap://[ff02::fd%25eth0]/x</c>.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, which a group cannot acknowledge; or it has a Destination, a Download or a Content that is read from a stream; or its URI is none, not of the scheme <c>coap</c>, or not that of a group.</exception>
    /// <exception cref="CoapException">While enumerating: the name has no address of a group, the request cannot be sent, or the endpoint was stopped.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        CheckCode(request);
        if (request.Confirmable)
        {
            throw new ArgumentException("A request to a group is Non-confirmable, as its members cannot all acknowledge it (RFC 7252 section 8.1). Set Confirmable to false.", nameof(request));
        }

        if (request.Transfer is { LeavesBodyOut: true } || request.Content?.Open is not null)
        {
            throw new ArgumentException("A request to a group has one message and many answers: Destination, Download and a Content that is read from a stream are for requests to one peer.", nameof(request));
        }

        CoapUri uri = ParseTarget(request.UriText ?? throw new ArgumentException("The request has no URI. Make it with that of a group.", nameof(request)));
        if (uri.Scheme != "coap")
        {
            throw new ArgumentException($"'{request.UriText}': groups are reached by coap over UDP only; {uri.Scheme} is between two (RFC 7252 section 9.1).", nameof(request));
        }

        if (uri.HostAddress is { } address && !CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port)).IsMulticast)
        {
            throw new ArgumentException($"'{request.UriText}': {uri.Host} is no group. Use SendAsync.", nameof(request));
        }

        return EnumerateGroupAsync(request, uri, options ?? new CoapGroupRequestOptions(), cancellationToken);
    }

    private async IAsyncEnumerable<CoapGroupResponse> EnumerateGroupAsync(
        CoapRequest request, CoapUri uri, CoapGroupRequestOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CoapTransport transport = await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        CoapAddress[] groups = await ResolveGroupAsync(uri, options, cancellationToken).ConfigureAwait(false);
        GroupRequest sent = SendToFirst(transport, groups, request, uri, options);
        try
        {
            await foreach (GroupAnswer answer in sent.Answers.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                yield return await CompleteAsync(answer, sent, request, uri, options, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            sent.End();
        }
    }

    private static bool Observes(CoapRequest request) => request.Message.OptionsToRead?.Observe == Options.Observe.RegisterValue;

    // Who observes has no end in mind.
    private static TimeSpan TimeoutOf(CoapRequest request, CoapChannel channel) =>
        request.Timeout ?? (Observes(request) ? Timeout.InfiniteTimeSpan : (TimeSpan?)null) ?? channel.Parameters.ResponseTimeout ?? channel.Parameters.NonLifetime;

    private async ValueTask<CoapAddress[]> ResolveGroupAsync(CoapUri uri, CoapGroupRequestOptions options, CancellationToken cancellationToken)
    {
        IPAddress[] addresses = await _hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false);
        CoapAddress[] groups = [.. addresses.Select(address => CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port))).Where(static address => address.IsMulticast)];
        if (groups.Length == 0)
        {
            throw new CoapException($"The name '{uri.Host}' stands for no group: it has no address within 224.0.0.0/4 or ff00::/8. Use SendAsync for a single host.");
        }

        // The interface is a part of the address, as it is for link-local ones: groups of the same number on two interfaces are two groups.
        return options.Interface is { } name ? [.. groups.Select(group => group with { ScopeId = (uint)UdpGroups.IndexOf(name, !group.IsIPv4) })] : groups;
    }

    // The next address of a name is tried where the endpoint has no socket for the one before.
    private GroupRequest SendToFirst(CoapTransport transport, CoapAddress[] groups, CoapRequest request, CoapUri uri, CoapGroupRequestOptions options)
    {
        for (int i = 0; ; i++)
        {
            CoapChannel channel = ChannelTo(transport, groups[i]);
            CoapMessage message = Copy(request);
            AddTarget(message, uri, groups[i]);
            CoapPipeline pipeline = _pipelines[channel.Shard.Index];
            CoapChannel held = RequestSender.Hold(pipeline, channel);
            try
            {
                GroupRequest sent = new(_groupRequests, held, message, (byte)(options.HopLimit ?? 0), options.MaxResponses, options.IncludeRepeated)
                {
                    IsNewer = Observes(request) ? NotificationOrder.IsNewer : null,
                };
                if (!_groupRequests.TryBegin(sent))
                {
                    throw new CoapBusyException($"{_environment.Limits.MaxGroupRequests} requests to groups run already. Ask less at a time, give them a shorter Timeout, or raise MaxGroupRequests.");
                }

                sent.Begin(TimeoutOf(request, held));
                pipeline.Sender.Send(sent);
                if (i + 1 == groups.Length || !sent.HasSendFailed)
                {
                    return sent;
                }
            }
            finally
            {
                RequestSender.Release(held);
            }
        }
    }

    private async ValueTask<CoapGroupResponse> CompleteAsync(
        GroupAnswer answer, GroupRequest sent, CoapRequest request, CoapUri uri, CoapGroupRequestOptions options, CancellationToken cancellationToken)
    {
        CoapChannel member = answer.Channel;
        CoapResponse response = new(answer.Message, member.Remote);
        CoapException? error = null;
        if (answer.Message.HasOptions && answer.Message.Options.Block2 is { More: true })
        {
            (response, error) = await FetchWholeAsync(response, member, sent.Message, request, uri, options, cancellationToken).ConfigureAwait(false);
        }

        return new CoapGroupResponse(response, CoapPeer.Of(member), UriAt(member.Remote, uri), error);
    }

    // RFC 7959 section 2.8: only the first block comes by the group, the rest is asked of the member alone.
    private async ValueTask<(CoapResponse Response, CoapException? Error)> FetchWholeAsync(
        CoapResponse first, CoapChannel member, CoapMessage sent, CoapRequest request, CoapUri uri, CoapGroupRequestOptions options, CancellationToken cancellationToken)
    {
        if (!options.FetchWhole || (sent.Code != CoapCode.Get && sent.Code != CoapCode.Fetch))
        {
            return (first, new CoapException("Only the first block of the answer came; the rest was not asked for."));
        }

        CoapMessage message = new(sent.Code) { Type = CoapMessageType.Confirmable, Payload = sent.Payload };
        message.Options.AddAll(sent.Options);
        message.Options.Remove(OptionNumber.Block2);

        // What a group was told of answers that nobody wants is not what the one member is asked now.
        message.Options.Remove(OptionNumber.NoResponse);
        try
        {
            // As long again as the group had: who answers by endless blocks must not hold up the others for ever.
            OutgoingRequest whole = new() { Request = request, Message = message, Channel = member, Target = uri, Timeout = TimeoutOf(request, member), StartedAt = _environment.Now, FirstBlock = first, Cancellation = cancellationToken };
            CoapResponse response = await _chain.SendAsync(whole, _blockwiseStep.Position).ConfigureAwait(false);
            return (response, null);
        }
        catch (CoapException exception)
        {
            Log.GroupBodyIncomplete(_environment.Logger, member.ToString(), exception.Message);
            return (first, exception);
        }
    }

    // RFC 7252 section 8.2: what an answer refers to is relative to the request's URI with the address of who answered.
    private static string UriAt(CoapAddress member, CoapUri uri)
    {
        CoapOptionCollection options = [];
        uri.AddTo(options, uri.HostAddress);
        options.Remove(OptionNumber.UriHost);
        string text = CoapUri.Compose(uri.Scheme, options, member.ToIPEndPoint()).ToString();

        // Without its zone a link-local address could not be sent to.
        return member.IsIPv4 || member.ScopeId == 0 ? text : text.Insert(text.IndexOf(']', StringComparison.Ordinal), $"%25{member.ScopeId}");
    }
}
