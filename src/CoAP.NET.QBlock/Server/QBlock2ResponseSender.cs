using CoAP.NET.Blockwise.Server;
using CoAP.NET.Execution;

namespace CoAP.NET.QBlock.Server;

/// <summary>
/// Answers by Q-Block2 in the role of a server: when which block goes out (RFC 9177 sections 4.4 and 7.2). A state machine: every method is
/// called under Shard.Gate.
/// </summary>
internal sealed class QBlock2ResponseSender
{
    private readonly CoapShard _shard;
    private readonly ServedBlockwiseResponses _answers;
    private JitterSequence _pauses;

    public QBlock2ResponseSender(CoapShard shard, ServedBlockwiseResponses answers)
    {
        _shard = shard;
        _answers = answers;
        _pauses = new JitterSequence(shard.Environment.Random.NextUInt64());
    }

    /// <summary>The first block of an answer went out: the others follow.</summary>
    public void Follow(QBlock2ResponseTransmission sending, TransferKey key, long now)
    {
        if (sending.Numbers is null && _answers.FindTransfer(key) is { } transfer)
        {
            if (transfer.Sending is QBlock2ResponseTransmission before)
            {
                End(before);
            }

            transfer.Sending = sending;
            sending.Transfer = transfer;
        }

        SendOn(sending, now);
    }

    /// <summary>Processes the confirmation of a set by a peer that waits for the next one.</summary>
    /// <returns>Whether the next set follows now. Otherwise the peer asks for blocks that were already sent, or that are no longer being
    /// sent.</returns>
    public bool TryContinue(TransferKey key, int number, long now)
    {
        if (_answers.FindTransfer(key)?.Sending is not QBlock2ResponseTransmission { IsOver: false, Confirmable: false } sending
            || sending.Upcoming != number)
        {
            return false;
        }

        _shard.Wheel.Cancel(sending);
        SendOn(sending, now);
        return true;
    }

    /// <summary>Handles the result of a block.</summary>
    public void OnSent(QBlock2ResponseTransmission sending, CoapInboundKind fate, long now)
    {
        if (fate == CoapInboundKind.Acknowledged)
        {
            SendOn(sending, now);
        }
        else
        {
            // The peer does not wait for it.
            End(sending);
        }
    }

    /// <summary>Sends what may go now. From the wheel too, after a pause.</summary>
    public void SendOn(QBlock2ResponseTransmission sending, long now)
    {
        if (sending.IsOver)
        {
            return;
        }

        CoapTransmissionParameters parameters = sending.Channel.Parameters;
        while (sending.Upcoming < sending.End)
        {
            int number = sending.Numbers?[sending.Upcoming] ?? sending.Upcoming;
            sending.Upcoming++;
            CoapResult block = QBlockResponseFactory.Cut(sending.Whole, number, sending.SizeExponent, sending.Observe);
            CoapMessage message = new(block.Code, block.Options)
            {
                Type = sending.Confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
                Token = sending.Token,
                Payload = block.Payload,
            };
            _shard.Send(new CoapTransmission(sending.Channel, message, sending) { IsPaced = true, IsLimited = true });
            if (sending.Confirmable)
            {
                // The next one goes when this was acknowledged.
                return;
            }

            if (sending.Numbers is null && sending.Upcoming % parameters.MaxPayloads == 0 && sending.Upcoming < sending.End)
            {
                if (sending.Transfer is not null)
                {
                    _shard.Wheel.Schedule(sending, now + Pause(parameters));
                }

                return;
            }
        }

        if (!sending.Confirmable)
        {
            End(sending);
        }
    }

    // No more of an answer is sent.
    private void End(QBlock2ResponseTransmission sending)
    {
        sending.IsOver = true;
        _shard.Wheel.Cancel(sending);
        if (sending.Transfer is { } transfer && transfer.Sending == sending)
        {
            transfer.Sending = null;
        }
    }

    // NON_TIMEOUT_RANDOM.
    private long Pause(CoapTransmissionParameters parameters) =>
        (long)(parameters.NonTimeout.Ticks * (1 + ((parameters.AckRandomFactor - 1) * _pauses.Next())));
}
