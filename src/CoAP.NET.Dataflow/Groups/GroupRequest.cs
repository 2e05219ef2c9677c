using System.Threading.Channels;
using CoAP.NET.Errors;
using CoAP.NET.Observing;

namespace CoAP.NET.Groups;

/// <summary>
/// A request to a group (RFC 7252 section 8): sent once, answered by any number of members until its time is over. Its token is then kept
/// for a while to recognize late answers. The timer ends first the request, then the token.
/// </summary>
internal sealed class GroupRequest : WheelTimer, IDeferredWork, ITransmissionOwner
{
    private Dictionary<CoapAddress, (uint Number, long At)>? _newest;
    private readonly GroupRequests _owner;
    private readonly GroupRequestSettings _settings;
    private readonly Channel<GroupMemberResponse> _answers;
    private readonly HashSet<CoapAddress>? _members;
    private readonly Lock _gate = new();
    private bool _isPinned;
    private volatile bool _isOver;

    /// <summary>Creates it; <see cref="GroupRequests.TryBegin"/> registers it.</summary>
    /// <param name="owner">The registry.</param>
    /// <param name="channel">The group.</param>
    /// <param name="message">The message; type, Message ID and token are filled in.</param>
    /// <param name="settings">How long to accept answers, and which.</param>
    public GroupRequest(GroupRequests owner, CoapChannel channel, CoapMessage message, in GroupRequestSettings settings)
    {
        _owner = owner;
        Channel = channel;
        Message = message;
        Transmission = new CoapTransmission(channel, message, this) { HopLimit = settings.HopLimit };
        _settings = settings;
        _members = settings.TakesRepeated ? null : [];
        _answers = System.Threading.Channels.Channel.CreateBounded<GroupMemberResponse>(
            new BoundedChannelOptions(settings.MaxAnswers) { SingleReader = true });
    }

    public CoapChannel Channel { get; }

    public CoapMessage Message { get; }

    public CoapTransmission Transmission { get; }

    /// <summary>
    /// The answers. The reader completes when the time is over, and faults when the request could not be sent or the endpoint stopped.
    /// </summary>
    public ChannelReader<GroupMemberResponse> Answers => _answers.Reader;

    /// <summary>Whether the operating system refused to send it.</summary>
    public bool HasSendFailed { get; private set; }

    /// <summary>Whether the request accepts no further answers.</summary>
    public bool IsOver => _isOver;

    /// <summary>Handles an answer. The caller must hold no shard lock.</summary>
    /// <returns>The counter for a rejected answer; null for an accepted one.</returns>
    public CoapCounter? Deliver(CoapChannel member, CoapMessage message)
    {
        if (_isOver)
        {
            return CoapCounter.LateResponses;
        }

        lock (_gate)
        {
            if (_settings.Observes)
            {
                if (JudgeNotification(member, message) is { } refused)
                {
                    return refused;
                }
            }
            else if (_members is { } members)
            {
                if (members.Contains(member.Remote))
                {
                    return CoapCounter.RepeatedGroupResponses;
                }

                if (members.Count >= _settings.MaxAnswers)
                {
                    return CoapCounter.GroupResponsesDropped;
                }

                members.Add(member.Remote);
            }

            return _answers.Writer.TryWrite(new GroupMemberResponse(member, message)) ? null
                : _isOver ? CoapCounter.LateResponses
                : CoapCounter.GroupResponsesDropped;
        }
    }

    private CoapCounter? JudgeNotification(CoapChannel member, CoapMessage message)
    {
        // Only requests with Observe need it.
        _newest ??= [];
        if (message.OptionsToRead?.Observe is not { } number)
        {
            // A member that sends no notifications, or no longer.
            _newest.Remove(member.Remote);
            return null;
        }

        long now = member.Shard.Environment.Now;
        if (_newest.TryGetValue(member.Remote, out (uint Number, long At) newest))
        {
            if (!NotificationOrder.IsNewer(newest.Number, newest.At, number, now))
            {
                return CoapCounter.NotificationsOutOfOrder;
            }
        }
        else if (_newest.Count >= _settings.MaxAnswers)
        {
            return CoapCounter.GroupResponsesDropped;
        }

        _newest[member.Remote] = (number, now);
        return null;
    }

    /// <summary>Starts to wait. Called once, under the shard's lock, before the message leaves.</summary>
    public void Begin()
    {
        _isPinned = true;
        Channel.Pins++;
        long now = Channel.Shard.Environment.Now;
        if (_settings.Timeout != Timeout.InfiniteTimeSpan && _settings.Timeout.Ticks < long.MaxValue - now)
        {
            Channel.Shard.Wheel.Schedule(this, now + _settings.Timeout.Ticks);
        }
    }

    /// <summary>Stops accepting answers. Further calls are allowed. The caller must hold no lock.</summary>
    /// <param name="error">The error, if any; without one, received answers can still be read.</param>
    public void End(Exception? error = null)
    {
        HasSendFailed |= error is CoapException { Error: CoapError.SendFailed };
        CoapShard shard = Channel.Shard;
        shard.Enter();
        try
        {
            EndLocked(shard.Environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }

        Complete(error);
    }

    internal override void Fire(long now)
    {
        if (_isOver)
        {
            _owner.Forget(this);
            return;
        }

        EndLocked(now);
        Channel.Shard.AfterRelease(this);
    }

    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        if (fate == CoapInboundKind.NotSent)
        {
            End(RequestErrors.Busy(Channel.ToString(), Channel.Parameters.MaxQueuedRequests));
        }
        else if (fate == CoapInboundKind.SendFailed)
        {
            End(RequestErrors.SendFailed(Channel.ToString(), transmission.SendError));
        }
    }

    void IDeferredWork.OnReleased(CoapShard shard) => Complete(null);

    private void EndLocked(long now)
    {
        if (!_isOver)
        {
            _isOver = true;
            if (_isPinned)
            {
                Channel.Pins--;
            }

            Channel.Shard.Wheel.Schedule(this, now + GroupRequests.TokenLifetimeOf(Channel.Parameters));
            _owner.OnOver(this);
            Channel.Shard.Cancel(Transmission);
        }
    }

    private void Complete(Exception? error) => _answers.Writer.TryComplete(error);
}
